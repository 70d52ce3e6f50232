/** TypeScript client: typed calls, webhook verification. */
export {}
