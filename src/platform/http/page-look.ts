/**
 * What the pages that are served whole have in common with the desk: its colours (src/ui/kit/tokens.css), its
 * font, and the product's sign. No user text is in them.
 */
export const PAGE_LOOK = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#fbfbfa, #17181a);
  --surface: light-dark(#ffffff, #1c1d20);
  --border: light-dark(#e4e4e1, #313338);
  --text: light-dark(#1d1d1f, #ececee);
  --muted: light-dark(#62626a, #a3a5ad);
  --accent: light-dark(#4450c9, #99a3ff);
  --accent-text: light-dark(#ffffff, #14151c);
  --font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif, 'Noto Color Emoji';
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font-family: var(--font); overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.brand { display: flex; align-items: center; gap: 8px; margin: 0; color: var(--muted); font-size: 13px; font-weight: 600; }
`;

/** The product's sign and name, for the top of a page (src/ui/desk/icon.svg). */
export const BRAND =
  '<p class="brand"><svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M8 10h16a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7l-5 4v-4H8a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z" fill="#fff"/></svg>deskbridge</p>';
