import { z } from 'zod';

import { id, shortText, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** A file as in the records of its ticket or message (beyond the specification). */
export const ticketFile = z
  .strictObject({
    id,
    name: z.string(),
    /** Found from its bytes; `application/octet-stream` unless it is one of a few types that are safe to show. */
    type: z.string(),
    /** Bytes. */
    size: z.int().min(0),
    /** Pixels; null unless it is an image. */
    width: z.int().nullable(),
    height: z.int().nullable(),
    /** Path from the root of the server (`/api/files/…`): resolve it against the base URL. */
    url: z.string(),
    /** The same; null unless it is an image of a size that can be drawn. */
    thumbnailUrl: z.string().nullable(),
  })
  .meta({ id: 'TicketFile' });
export type TicketFile = z.output<typeof ticketFile>;

/** A file by itself. */
export const file = z
  .strictObject({
    ...ticketFile.shape,
    /** SHA-256 of its bytes, in hexadecimal. */
    hash: z.string(),
    /** Null until it is attached to a new ticket. */
    ticketId: id.nullable(),
    /** Null for a file of the ticket itself, and for one that is not attached yet. */
    messageId: id.nullable(),
    authorId: id.nullable(),
    /** Null for a file that is not attached yet, which is removed a day after its upload. */
    attachedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'File' });
export type File = z.output<typeof file>;

export const fileList = list(file);

/** Files that one request stored, in the order of its parts. */
export const uploadedFiles = z.strictObject({ items: z.array(file) }).meta({ id: 'UploadedFiles' });

export const fileListQuery = listQuery({
  sortBy: ['createdAt'],
  groupBy: ['ticketId'],
  filters: { ticketId: id.nullish() },
});

/** `GET /tickets/{id}/files`: the attached files of a ticket that the caller may see. */
export const ticketFileListQuery = listQuery({
  sortBy: ['createdAt'],
  groupBy: ['ticketId'],
  filters: { key: shortText.nullish() },
});

/** Query of `POST /ticket-messages/{id}/files`. */
export const messageFilesUploadQuery = z.object({
  /** The person who uploads them; default the key's user. */
  authorId: id.nullish(),
});
/** Query of `POST /files` and `POST /tickets/{id}/files`. */
export const fileUploadQuery = messageFilesUploadQuery.extend({ workspaceId: id.nullish() });
export const ticketFileUploadQuery = fileUploadQuery.extend({
  /** Attaches the file to the ticket itself at once. */
  attach: z.boolean().nullish(),
  /** Makes the upload idempotent: of uploads to a ticket with the same key, only the first stores a file. */
  key: shortText.nullish(),
});
