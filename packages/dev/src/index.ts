/** The whole service on one machine, for development: what `bursar-dev` runs. */
export { type DevOptions } from "./DevOptions.ts"
export { runDev } from "./runDev.ts"
