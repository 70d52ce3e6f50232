import type { Random } from "../kernel/Random.ts"
import type { World } from "../world/World.ts"
import type { Connection } from "./connection.ts"

/** What of a world those have to do with who ask for things. */
export interface AskedWorld extends Pick<World, "assets" | "currencies" | "faults" | "note" | "records"> {
  readonly config: Pick<World["config"], "network">
  readonly kernel: Pick<World["kernel"], "now">
  readonly network: Pick<World["network"], "stranger">
}

/** What somebody works with who asks for things. */
export interface AtWork {
  readonly world: AskedWorld
  readonly random: Random
  readonly post: Connection["post"]
}
