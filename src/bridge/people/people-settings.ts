import { z } from 'zod';

/** The setting that forwards other bots' messages (B17); off by default. */
export const ALLOWS_BOTS = 'allow-bots';
export const AllowsBots = z.boolean();
