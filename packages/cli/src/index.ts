/** The parts of the `bursar` command: its settings, and the layers of a server and of a worker. */
export {
  readServeSettings,
  readSignSettings,
  readWorkSettings,
  type ServeSettings,
  type SignSettings,
  type WorkSettings
} from "./config/Settings.ts"
export { SettingsInvalid } from "./config/SettingsInvalid.ts"
export { runServer } from "./assemble/server.ts"
export { layerStorage } from "./assemble/storage.ts"
export { layerWork } from "./assemble/worker.ts"
