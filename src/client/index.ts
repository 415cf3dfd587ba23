export { type Answer, type Client, type ClientOptions, createClient } from './client.ts';
export { AnsweredError, ServiceError, UnreachableError, UnreadableError } from './errors.ts';
