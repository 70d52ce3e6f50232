/** The bursar command: dev, serve, work, migrate, check, tenant, key, webhook. */
export {}
