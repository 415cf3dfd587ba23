import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the OpenID provider of a test stores. Nothing lives long enough to be removed by its time. */
export function memoryAdapter(): (name: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  return (name) => {
    const at = (id: string) => `${name} ${id}`;
    const find = (matches: (payload: AdapterPayload) => boolean) =>
      Promise.resolve([...stored.values()].find(matches));
    return {
      upsert: async (id, payload) => void stored.set(at(id), payload),
      find: async (id) => stored.get(at(id)),
      findByUserCode: (userCode) => find((one) => one.userCode === userCode),
      findByUid: (uid) => find((one) => one.uid === uid),
      consume: async (id) => {
        const payload = stored.get(at(id));
        if (payload) stored.set(at(id), { ...payload, consumed: Math.floor(Date.now() / 1000) });
      },
      destroy: async (id) => void stored.delete(at(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
      },
    };
  };
}
