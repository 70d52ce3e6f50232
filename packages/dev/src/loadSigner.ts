import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import * as SupervisedProcess from "@bursar/simulator-kit/SupervisedProcess"
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** What `bursar sign` is told: the arguments after its name, and variables. */
export interface ToldSigner {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** A signer that loads, and begins once it is told how. */
export interface LoadingSigner {
  /** A folder for its socket, which nobody else reads. */
  readonly folder: string
  readonly process: SupervisedProcess.SupervisedProcess
  readonly begin: (told: ToldSigner) => Effect.Effect<void>
}

/** A path of a socket is short; a data directory may be deep. */
const makeSocketFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-signer-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Listens on a socket, and gives whoever comes there one message, now or once there is one. */
const makeTeller = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly tell: (message: string) => void; readonly close: () => void }>((resume) => {
      let resolve: (message: string) => void = () => {}
      const message = new Promise<string>((done) => (resolve = done))
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        void message.then((one) => socket.end(one))
      })
      const close = () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
      server.listen(path, () => resume(Effect.succeed({ tell: resolve, close })))
    }),
    ({ close }) => Effect.sync(close)
  )

/** Starts the process of a signer, which loads beside whatever comes first. It ends with the scope. */
export const loadSigner: Effect.Effect<LoadingSigner, DevnetError, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* makeSocketFolder
  const path = join(folder, "settings")
  const { tell } = yield* makeTeller(path)
  const child = yield* SupervisedProcess.spawn({
    command: process.execPath,
    args: [fileURLToPath(import.meta.resolve("@bursar/dev/signerProcess")), path],
    stopSignal: "SIGTERM",
    graceMs: 15_000
  })
  return {
    folder,
    process: child,
    begin: (told) => Effect.sync(() => tell(JSON.stringify(told)))
  }
})
