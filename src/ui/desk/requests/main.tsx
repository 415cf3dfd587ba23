import { requests } from '../messages/requests.ts';
import { start } from '../start.tsx';
import { router } from './router.tsx';

start(router, { requests });
