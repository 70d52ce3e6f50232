import { Flag } from "effect/cli"

/** The flags of `bursar-dev`. */
export const devFlags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port of the partner API; 0 for a free port"),
    Flag.withDefault(8080)
  ),
  operatorPort: Flag.Int("operator-port").pipe(
    Flag.withDescription("Port of the operator API; 0 for a free port"),
    Flag.withDefault(8081)
  ),
  sandboxPort: Flag.Int("sandbox-port").pipe(
    Flag.withDescription("Port of the sandbox's control API; 0 for a free port"),
    Flag.withDefault(0)
  ),
  dataDir: Flag.String("data-dir").pipe(
    Flag.withDescription("Folder for all data, including dev.json with URLs and keys"),
    Flag.withDefault(".bursar")
  ),
  fresh: Flag.Boolean("fresh").pipe(Flag.withDescription("Delete all data of earlier runs"), Flag.withDefault(false)),
  manualMining: Flag.Boolean("manual-mining").pipe(
    Flag.withDescription("Mine no blocks automatically: a deposit is confirmed only after you mine blocks"),
    Flag.withDefault(false)
  ),
  demo: Flag.Boolean("demo").pipe(
    Flag.withDescription("Then play a partner's day through the public API, and print each step"),
    Flag.withDefault(false)
  )
}

/** What {@link devFlags} gave. */
export interface DevOptions {
  readonly port: number
  readonly operatorPort: number
  readonly sandboxPort: number
  readonly dataDir: string
  readonly fresh: boolean
  readonly manualMining: boolean
  readonly demo: boolean
}
