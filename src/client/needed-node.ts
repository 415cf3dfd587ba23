/** The Node version that the HTTP client's package needs; a test compares it with that package. */
export const NEEDED_NODE = '22.19.0';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
// Runs before that package is loaded, which would fail with an unclear message.
if (major < neededMajor || (major === neededMajor && minor < neededMinor))
  throw new Error(
    `deskbridge/client needs Node ${NEEDED_NODE} or newer. This is Node ${process.versions.node}.`,
  );
