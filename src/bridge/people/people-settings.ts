import { z } from 'zod';

/** The setting that lets other bots' messages take part in conversations (B17); off until somebody turns it on. */
export const ALLOWS_BOTS = 'allow-bots';
export const AllowsBots = z.boolean();
