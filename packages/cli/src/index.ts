/** The `bursar` command as parts: settings, and what a process of the service is assembled of. */
export { readSettings, type Settings, SettingsInvalid } from "./config/Settings.ts"
export { runServer } from "./assemble/server.ts"
export { layerStorage } from "./assemble/storage.ts"
export { layerWork } from "./assemble/worker.ts"
