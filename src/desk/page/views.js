/** Saved views: names for filters, kept in this browser. */
const KEY = 'desk-views';

export function savedViews() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]');
  } catch {
    return [];
  }
}

export function saveView(name, filters) {
  const others = savedViews().filter((view) => view.name !== name);
  localStorage.setItem(KEY, JSON.stringify([...others, { name, filters }]));
}

export function removeView(name) {
  localStorage.setItem(KEY, JSON.stringify(savedViews().filter((view) => view.name !== name)));
}
