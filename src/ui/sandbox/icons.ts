const PATHS = {
  archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM16 12v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.600 7.200',
  bolt: 'M13 3L5 14h6l-1 7 8-11h-6z',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M9 5l7 7-7 7',
  clip: 'M19 11l-7.5 7.5a4.5 4.5 0 0 1-6.400-6.400L13 4.200a3 3 0 0 1 4.300 4.300l-7.900 7.800a1.5 1.5 0 0 1-2.100-2.100L14 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M6 9l6 6 6-6',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  eye: 'M3 12c2.5-4 5.5-6 9-6s6.5 2 9 6c-2.5 4-5.5 6-9 6s-6.5-2-9-6zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  hash: 'M9.5 4L7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16',
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  inspect: 'M3 12h4l2.5-7 4 14 2.5-7h5',
  leave: 'M14 4H6v16h8M10 12h11M17.5 8.5L21 12l-3.5 3.5',
  link: 'M10 14a4 4 0 0 0 5.700 0l3.100-3.100a4 4 0 0 0-5.700-5.700L12 6.300M14 10a4 4 0 0 0-5.700 0l-3.100 3.100a4 4 0 0 0 5.700 5.700l1.100-1.100',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.300a6.5 6.5 0 0 1 3.5 5.700',
  plus: 'M12 5v14M5 12h14',
  remove: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12M10.5 10.5v5.5M13.5 10.5v5.5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  send: 'M4 12L20 4l-5 16-3-7z',
  smile: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14.5c.8 1.300 2 2 3.5 2s2.700-.7 3.5-2M9 9.5v.5M15 9.5v.5',
  thread: 'M4 5h16v11h-9l-4 3.5V16H4z',
  warn: 'M12 4l9 16H3zM12 10v4.5M12 17.200v.01',
};

export type IconName = keyof typeof PATHS;

/** A line icon that needs no font and uses the text colour. */
export function icon(name: IconName): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  for (const [key, value] of Object.entries({
    viewBox: '0 0 24 24',
    class: `icon icon-${name}`,
    'aria-hidden': 'true',
  }))
    svg.setAttribute(key, value);
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
