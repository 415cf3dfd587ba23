export { migrateService, type Service, type ServiceOptions, startService } from './service.ts';
export { type Keys, type ListedKey, openKeys } from './keys/operate.ts';
