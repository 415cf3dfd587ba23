/** What was typed and not sent yet, by place; it survives a reload of this tab. */
export const drafts = {
  get: (place) => sessionStorage.getItem(`draft ${place}`) ?? '',
  set: (place, text) =>
    text === ''
      ? sessionStorage.removeItem(`draft ${place}`)
      : sessionStorage.setItem(`draft ${place}`, text),
  /** Nobody who signs in after them reads them. */
  clear: () => sessionStorage.clear(),
};
