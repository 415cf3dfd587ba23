import type { Form, FormField } from '../../../src/bridge/features/forms/rules.ts';

const at = '2026-11-20T09:30:00.000Z';

/** A field of a form; its key is its label. */
export function field(
  key: string,
  type: string,
  {
    options = [],
    config = null,
    description = null,
    ...more
  }: Partial<Omit<FormField, 'customField'>> & {
    options?: string[];
    config?: unknown;
    description?: string | null;
  } = {},
): FormField {
  return {
    id: `rtf_${key}`,
    order: 0,
    private: false,
    required: false,
    ticketField: null,
    requestTypeId: 'rqt_1',
    customFieldId: `cfd_${key}`,
    parentId: null,
    dependsOnValue: null,
    createdAt: at,
    updatedAt: at,
    ...more,
    customField: {
      id: `cfd_${key}`,
      workspaceId: 'wsp_1',
      key,
      label: key,
      description,
      required: false,
      system: false,
      type,
      config,
      options: options.map((value, order) => ({
        id: `opt_${value}`,
        value,
        order,
        description: null,
        color: null,
        icon: null,
        customFieldId: `cfd_${key}`,
        createdAt: at,
        updatedAt: at,
      })),
      createdAt: at,
      updatedAt: at,
      _count: null,
    },
  };
}

export function form(customFields: FormField[], more: Partial<Form> = {}): Form {
  return {
    id: 'rqt_1',
    name: 'New device',
    emoji: null,
    icon: null,
    color: null,
    description: null,
    isDefault: false,
    isPrivate: false,
    published: true,
    jobId: null,
    aiExamples: null,
    aiResponse: null,
    workspaceId: 'wsp_1',
    titleTemplate: null,
    defaultQueueId: null,
    defaultStatusId: null,
    defaultTaskTemplateId: null,
    defaultPriority: null,
    type: 'request-type',
    parentId: null,
    parent: null,
    tags: [],
    formEnabled: true,
    createdAt: at,
    updatedAt: at,
    ...more,
    customFields: customFields.map((one, order) => ({ ...one, order })),
  };
}
