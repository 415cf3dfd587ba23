import fc from 'fast-check';
import { expect, test } from 'vitest';

import { askedOf, type FormFieldShape, NO, YES } from '../../src/contract/index.ts';

type Field = FormFieldShape & { customField: { key: string } };
type Given = Record<string, boolean | string | string[]>;

/** A module of the page, in JavaScript. */
const module = new URL('../../src/desk/page/asked-fields.js', import.meta.url).href;
const { askedFields } = (await import(module)) as {
  askedFields: (form: { customFields: readonly Field[] }, given: Given) => Field[];
};

const COUNT = 4;
const ids = Array.from({ length: COUNT }, (_, at) => `rtf_${at}`);
const options = ['Laptop', 'Phone'].map((value, order) => ({
  id: `opt_${value}`,
  value,
  order,
  description: null,
}));
const answers = {
  TEXT: fc.constantFrom('', 'Laptop', 'other'),
  SELECT: fc.constantFrom('', 'Laptop', 'opt_Laptop', 'opt_Phone'),
  MULTI_SELECT: fc.subarray(['opt_Laptop', 'Phone']),
  BOOLEAN: fc.boolean(),
};
const types = Object.keys(answers) as (keyof typeof answers)[];

/** A question with its answer; it may depend on any question, even in a cycle. */
const asked = (id: string) =>
  fc
    .record({
      type: fc.constantFrom(...types),
      order: fc.nat(3),
      parentId: fc.option(fc.constantFrom(...ids)),
      dependsOnValue: fc.option(fc.constantFrom('Laptop', 'opt_Laptop', 'opt_Phone', 'true', 'false')),
    })
    .chain(({ type, ...place }) =>
      fc.option<boolean | string | string[]>(answers[type]).map((given) => ({
        given,
        field: {
          id,
          ...place,
          required: false,
          ticketField: null,
          customField: {
            key: id,
            label: id,
            description: null,
            required: false,
            type,
            config: null,
            options: type.endsWith('SELECT') ? options : [],
          },
        } satisfies Field,
      })),
    );

test('B37 the desk’s form asks the same questions as chat’s modal, however they depend on each other', () => {
  fc.assert(
    fc.property(fc.tuple(...ids.map(asked)), (questions) => {
      const fields: Field[] = questions.map(({ field }) => field);
      const given = new Map(questions.map(({ field, given }) => [field.id, given]));
      const inChat = askedOf(fields, ({ id }) => {
        const value = given.get(id);
        return typeof value === 'boolean' ? (value ? YES : NO) : value;
      });
      const atDesk = askedFields(
        { customFields: fields },
        Object.fromEntries([...given].filter(([, value]) => value !== null)) as Given,
      );
      expect(atDesk.map(({ id }) => id)).toEqual(inChat.map(({ id }) => id));
    }),
    { numRuns: 2_000 },
  );
});
