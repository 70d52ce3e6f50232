/** The `bursar` command as parts: settings, and what a process of the service is assembled of. */
export { readSettings, type Settings } from "./config/Settings.ts"
export { SettingsInvalid } from "./config/SettingsInvalid.ts"
export { runServer } from "./assemble/server.ts"
export { layerStorage } from "./assemble/storage.ts"
export { layerWork } from "./assemble/worker.ts"
