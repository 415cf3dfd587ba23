export { servePageFiles } from './page-files.ts';
export { frameworkProblem, METHOD_NOT_ALLOWED, NOT_FOUND, type Problem, sendProblem } from './problem.ts';
export { receiveRawBodies } from './raw-body.ts';
export { createHttpServer, type HttpServer, ListenError } from './server.ts';
