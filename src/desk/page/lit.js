export { html, nothing, render, svg } from '/desk/lit-html/lit-html.js';
export { keyed } from '/desk/lit-html/directives/keyed.js';
export { live } from '/desk/lit-html/directives/live.js';
export { ref } from '/desk/lit-html/directives/ref.js';
export { repeat } from '/desk/lit-html/directives/repeat.js';
export { unsafeHTML } from '/desk/lit-html/directives/unsafe-html.js';
