import {
  file,
  fileList,
  fileListQuery,
  fileUploadQuery,
  messageFilesUploadQuery,
  ticketFileListQuery,
  ticketFileUploadQuery,
  uploadedFiles,
} from '../file.ts';
import { idParams } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { targetReport, targetReportCsvQuery } from '../target-report.ts';

export const fileRoutes = {
  listFiles: route({
    method: 'GET',
    path: '/files',
    role: 'read',
    person: 'admin',
    ext: true,
    summary: 'List all attached files',
    query: fileListQuery,
    answer: fileList,
  }),
  listTicketFiles: route({
    method: 'GET',
    path: '/tickets/{id}/files',
    role: 'read',
    person: 'requester',
    ext: true,
    summary: 'List the files of a ticket and its messages',
    params: idParams,
    query: ticketFileListQuery,
    answer: fileList,
    errors: ['NOT_FOUND'],
  }),
  deleteFile: route({
    method: 'DELETE',
    path: '/files/{id}',
    role: 'agent',
    person: 'requester',
    ext: true,
    summary: 'Delete a file',
    audit: 'file.deleted',
    params: idParams,
    answer: file,
    errors: ['NOT_FOUND'],
  }),
};

const UPLOAD_ERRORS = [
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNPROCESSABLE_CONTENT',
] as const;

/**
 * Operations that carry bytes instead of JSON, which the client has no methods for. An upload is `multipart/form-data`
 * with one file in it, or several for a message; a download answers the bytes.
 */
export const BYTE_ROUTES = {
  uploadFile: {
    method: 'POST',
    path: '/files',
    role: 'agent',
    person: 'requester',
    ext: true,
    summary: 'Upload a file for a ticket that does not exist yet',
    query: fileUploadQuery,
    answer: file,
    errors: UPLOAD_ERRORS,
  },
  uploadTicketFile: {
    method: 'POST',
    path: '/tickets/{id}/files',
    role: 'agent',
    person: 'requester',
    ext: true,
    summary: 'Upload a file to a ticket',
    params: idParams,
    query: ticketFileUploadQuery,
    answer: file,
    errors: UPLOAD_ERRORS,
  },
  uploadMessageFiles: {
    method: 'POST',
    path: '/ticket-messages/{id}/files',
    role: 'agent',
    person: 'agent',
    ext: true,
    summary: 'Upload files to a message',
    params: idParams,
    query: messageFilesUploadQuery,
    answer: uploadedFiles,
    errors: [...UPLOAD_ERRORS, 'CONFLICT'],
  },
  downloadFile: {
    method: 'GET',
    path: '/files/{id}',
    role: 'read',
    person: 'requester',
    ext: true,
    summary: 'Download a file',
    params: idParams,
    answer: file,
    errors: ['NOT_FOUND'],
  },
  downloadThumbnail: {
    method: 'GET',
    path: '/files/{id}/thumbnail',
    role: 'read',
    person: 'requester',
    ext: true,
    summary: 'Download a small copy of an image',
    params: idParams,
    answer: file,
    errors: ['NOT_FOUND'],
  },
  downloadTargetReport: {
    method: 'GET',
    path: '/target-report/csv',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'Download a table of the report of targets as CSV',
    query: targetReportCsvQuery,
    answer: targetReport,
  },
} as const satisfies Record<string, Route>;
