export { attachmentNamed } from './attachment.ts';
export { type Cookie, cookieName, readCookie, setCookieHeader } from './cookies.ts';
export { type EventStream, openEventStream } from './event-stream.ts';
export { JsonBodyError, parseJsonBody, receiveJsonBodies } from './json.ts';
export {
  frameworkProblem,
  MALFORMED_REQUEST,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  type Problem,
  sendProblem,
} from './problem.ts';
export { NotReady } from './probes.ts';
export { type Range, rangeOf } from './range.ts';
export { receiveRawBodies } from './raw-body.ts';
export { createHttpServer, type HttpServer, ListenError } from './server.ts';
