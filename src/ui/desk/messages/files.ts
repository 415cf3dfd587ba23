/** Texts of files: uploads and previews. */
export const files = {
  file: 'File {name}, {size}',
  attach: 'Attach files',
  attached: 'Attached files',
  uploading: 'Uploading {name}',
  sending: 'Uploading {count, plural, one {# file} other {# files}}',
  count: '{count, plural, one {# file is} other {# files are}} attached',
  cancel: 'Cancel {name}',
  retry: 'Retry {name}',
  remove: 'Remove {name}',
  failed: 'Not uploaded: {reason}',
  download: 'Download',
};
