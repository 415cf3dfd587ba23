declare module 'virtual:operations' {
  /** Method and path (parameters in braces) of each operation that the desk offers; made by vite.config.ts. */
  export const operations: Readonly<
    Record<
      import('../src/desk/offered.ts').Offered,
      readonly [method: import('../src/contract/index.ts').Method, path: `/${string}`]
    >
  >;
}
