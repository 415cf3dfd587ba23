/** The name and picture of a post (`chat:write.customize`); default the app's own. */
export interface Face {
  name?: string | undefined;
  iconUrl?: string | undefined;
  iconEmoji?: string | undefined;
}

/** Returns a sender identity; with the picture only if Slack can fetch it, else the emoji if there is one (B13). */
export function faceOf(name: string | null, image: string | null, emoji?: string): Face {
  return {
    ...(name ? { name } : {}),
    ...(isPublicHttps(image) ? { iconUrl: image } : emoji === undefined ? {} : { iconEmoji: emoji }),
  };
}

function isPublicHttps(image: string | null): image is string {
  const url = image ? URL.parse(image) : null;
  return url?.protocol === 'https:' && url.hostname.includes('.') && !/^[\d.]+$|:/.test(url.hostname);
}
