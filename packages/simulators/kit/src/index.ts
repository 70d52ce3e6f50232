/** The common parts of all simulators. */
export * as ControlServer from "./ControlServer.ts"
export * as HttpListener from "./HttpListener.ts"
export * as SupervisedProcess from "./SupervisedProcess.ts"
export * from "./DevnetError.ts"
