/**
 * The mean of the model's vectors of 467 tickets (bench/search-quality), as signed bytes: what all such texts have in
 * common, which does not distinguish them. Without subtracting it, all of them are near each other.
 */
const BYTES =
  '2bYKvOjk+AK58wrj3+GSHd0l3TLZ4PTr+QwxHfPRARU4jFH2ogSO/AbhZtTy9NsdYQI3PSjx5hu0FvH6qc6WGAAVOvAK1+TwAiERptN/9dvyu7tM83InE0P+FyAyGqoPzpz5D9nqLQ/3y+QaxTQJ8uAIBR4F6tvTHQEJ57ogHv0+/zSZ4iuymE4lDXwQ7VxX+hcRAQ7uxKtI+SsLwvwh7BgedKHKw+vY71JdPzZDDVb1Dh39By38p932EnjSExhF+hvP1CYv9iMeK+K4M94O/fxa4QASAzrj1hgvCg30+JLXDwQPERYhMNtbKjxlKyVe1vghCR3V5BHsAveU6oPpOhEFPCTp1CcB0k8ZBrXsQPb36qUQsAjm9tv+KEng6zUK6wkf1tRGxJNtGs5Y5+fGL8+gFcsRA9Qu5OLHpujLR8gh9s+n6Q3txAUHCgO+8XAFFTvhAN3w+Oky/hNZxFTL/ucRG1fnrS+9XR4BuQ2oPwAY0JrXF/zC09jyufHNPqsbAgXa+rIe4u3ODs9fMzzf+6sfDEHs7FnUbdYiQjjNcizqyQub9uhM2xMd7+/yAwcT6wzZ3b4mt8zeOeRxYOhD5lwFAtFLF/yVG7xAAxbKJAe+elNlC5YVt//zFeX2DAri+vb3mQkT6NquRBfSH9s7Qc8HV+YR4KUc5evd/AXotvU=';
/** The value of the largest byte. */
const LARGEST = 0.055;

export const MEAN = Float32Array.from(
  new Int8Array(Buffer.from(BYTES, 'base64')),
  (byte) => (byte / 127) * LARGEST,
);
