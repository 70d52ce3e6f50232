import { Flag } from "effect/cli"

/** The flags of `bursar-dev`. */
export const devFlags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port of the partner API; 0 takes a free one"),
    Flag.withDefault(8080)
  ),
  operatorPort: Flag.Int("operator-port").pipe(
    Flag.withDescription("Port of the operator API; 0 takes a free one"),
    Flag.withDefault(8081)
  ),
  sandboxPort: Flag.Int("sandbox-port").pipe(
    Flag.withDescription("Port of the controls of the sandbox; 0 takes a free one"),
    Flag.withDefault(0)
  ),
  dataDir: Flag.String("data-dir").pipe(
    Flag.withDescription("Where everything is kept, dev.json with the addresses and keys included"),
    Flag.withDefault(".bursar")
  ),
  fresh: Flag.Boolean("fresh").pipe(Flag.withDescription("Forget everything of earlier runs"), Flag.withDefault(false)),
  manualMining: Flag.Boolean("manual-mining").pipe(
    Flag.withDescription("Mine nothing by itself: a deposit is confirmed only when you mine on top of it"),
    Flag.withDefault(false)
  ),
  demo: Flag.Boolean("demo").pipe(
    Flag.withDescription("Then play a partner's day through the public interface, and tell it"),
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
