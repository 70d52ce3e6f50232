/** In-memory storage adapter. */
export {}
