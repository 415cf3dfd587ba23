/** What the HTTP client that this one is built on needs; a test compares it with that package. */
export const NEEDED_NODE = '22.19.0';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
// Evaluated before that package is, which would fail with a riddle.
if (major < neededMajor || (major === neededMajor && minor < neededMinor))
  throw new Error(
    `deskbridge/client needs Node ${NEEDED_NODE} or newer, and this is ${process.versions.node}.`,
  );
