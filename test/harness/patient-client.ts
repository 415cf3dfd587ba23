/**
 * Settings of a client of the API: on a machine busy with other tests answers are slow, and a test's write must not be
 * given up.
 */
export const PATIENT_CLIENT = { attemptTimeoutMs: 60_000, totalTimeoutMs: 67_000 };
