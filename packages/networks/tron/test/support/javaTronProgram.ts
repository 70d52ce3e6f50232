import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { hostname, tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"

/** TCP ports on 127.0.0.1 that nobody listens on. */
export const freePorts = (count: number) =>
  Effect.promise(async () => {
    const servers = await Promise.all(
      Array.from({ length: count }, async () => {
        const server = createServer()
        await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
        return server
      })
    )
    // A TCP server that listens has an AddressInfo.
    const ports = servers.map((server) => (server.address() as AddressInfo).port)
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
    return ports
  })

/** Starts java-tron with a configuration in a temporary folder, until the scope closes. `classPath` is what Java's `-cp` takes. */
export const startJavaTron = Effect.fnUntraced(function* (classPath: string, config: string) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-java-tron-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  yield* Effect.promise(() => writeFile(join(folder, "config.conf"), config))
  // With this file Java resolves no other names, so the node asks no public site for its address.
  const hosts = join(folder, "hosts")
  yield* Effect.promise(() => writeFile(hosts, `127.0.0.1 localhost ${hostname()}\n`))
  const absolute = classPath
    .split(delimiter)
    .map((entry) => resolve(entry))
    .join(delimiter)
  const home = process.env["JAVA_HOME"]
  const [command, ...before] = home === undefined ? ["/usr/bin/env", "java"] : [join(home, "bin", "java")]
  return yield* spawn({
    command: command ?? "",
    args: [
      ...before,
      ...["-Xmx1200m", "-XX:+UseSerialGC", `-Djdk.net.hosts.file=${hosts}`, "-cp", absolute],
      ...["org.tron.program.FullNode", "-c", "config.conf", "--witness", "--debug"]
    ],
    cwd: folder,
    // Java 8 ignores this variable, and does not know the option.
    env: {
      JDK_JAVA_OPTIONS: ["lang", "util", "nio"]
        .map((name) => `--add-opens=java.base/java.${name}=ALL-UNNAMED`)
        .join(" ")
    },
    stopSignal: "SIGTERM",
    graceMs: 15_000
  })
})
