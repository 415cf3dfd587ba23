import { DEMO } from '../../src/start/demo.ts';
import type { World } from '../harness/world.ts';

/** Records of the demo in a world's service, for the tests of the desk. */
export function demoRecords(world: Pick<World, 'service'>) {
  const person = async (key: keyof typeof DEMO.people) => {
    const { items } = await world.service.listUsers({ query: { search: DEMO.people[key].email } });
    const [found] = items;
    if (!found) throw new Error(`no ${key}`);
    return found;
  };
  const queueOf = async (prefix: string) => {
    const { items } = await world.service.listQueues({});
    return items.find((queue) => queue.prefix === prefix)?.id ?? null;
  };
  /** A ticket of Ada's in the queue IT. */
  const newTicket = async (title: string, more: object = {}) =>
    world.service.createTicket({
      body: {
        title,
        description: `${title}, it says`,
        requesterId: (await person('ada')).id,
        queueId: await queueOf('IT'),
        ...more,
      },
    });
  /** A queue whose business hours never end, with targets for tickets of medium priority. */
  const queueAroundTheClock = async (targets: { responseMinutes: number; resolutionMinutes: number }) => {
    const days = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
    const hours = await world.service.createBusinessHours({
      body: { name: 'Always', timeZone: 'UTC', days, holidays: [] },
    });
    return world.service.createQueue({
      body: {
        name: 'Clocks',
        prefix: 'CLK',
        businessHoursId: hours.id,
        settings: { targets: { MEDIUM: targets } },
      },
    });
  };
  const read = (id: string) => world.service.readTicket({ params: { id } });
  return { person, queueOf, queueAroundTheClock, newTicket, read };
}
