const OWNER = 'drafts of';

/** Typed text that is not sent yet, by its place on the page; it survives a reload of the tab. */
export const drafts = {
  get: (place) => sessionStorage.getItem(`draft ${place}`) ?? '',
  set: (place, text) =>
    text === ''
      ? sessionStorage.removeItem(`draft ${place}`)
      : sessionStorage.setItem(`draft ${place}`, text),
  /** The next user who signs in in this tab cannot read the drafts. */
  belongTo(userId) {
    if (sessionStorage.getItem(OWNER) !== userId) sessionStorage.clear();
    sessionStorage.setItem(OWNER, userId);
  },
  clear: () => sessionStorage.clear(),
};
