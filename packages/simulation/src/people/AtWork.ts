import type { Random } from "../kernel/Random.ts"
import type { World } from "../world/World.ts"
import type { Connection } from "./connection.ts"

/** What somebody works with who asks for things. */
export interface AtWork {
  readonly world: World
  readonly random: Random
  readonly post: Connection["post"]
}
