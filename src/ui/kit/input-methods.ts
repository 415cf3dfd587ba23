/**
 * Keeps the keys of an input method from the page: while somebody composes a word (Japanese, Chinese, Korean, accents),
 * Enter takes the word and Escape drops it, and neither may send a message, save a field or choose an option. One
 * listener ahead of all others, the libraries' too, as each of them would have to look otherwise.
 *
 * Safari ends the composition before it sends the Enter that ended it: only the key code 229 tells there
 * (https://www.w3.org/TR/uievents/#determine-keydown-keyup-keyCode).
 */
export function keepInputMethodKeys(target: Pick<Window, 'addEventListener'> = window): void {
  const keep = (event: KeyboardEvent) => {
    if (event.isComposing || Reflect.get(event, 'keyCode') === 229) event.stopImmediatePropagation();
  };
  target.addEventListener('keydown', keep, { capture: true });
}
