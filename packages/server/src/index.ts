/** The HTTP adapter: the partner API and the operator API over the core's ports. */
export { directoryTtlDefault, ServerConfig, type ServerSettings } from "./config/ServerConfig.ts"
export { deriveSecret } from "./keys/hashKey.ts"
export { type MadeKey, type MakeKey, makeKey } from "./keys/makeKey.ts"
export { listen, type Listening, type ListenOptions } from "./listen.ts"
export * as OperatorServer from "./OperatorServer.ts"
export * as PartnerServer from "./PartnerServer.ts"
export { toWebHandler, type WebConnection, type WebHandler } from "./toWebHandler.ts"
