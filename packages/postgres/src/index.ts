/** PostgreSQL storage adapter and its migrations. */
export {}
