const SHOWN_MS = 6_000;
let timer;

/** Shows a message at the foot of the page for a while. */
export function notify(text) {
  const notice = document.getElementById('notice');
  notice.textContent = text;
  notice.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => notice.classList.remove('shown'), SHOWN_MS);
}
