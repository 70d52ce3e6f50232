import { takeRestored } from "@bursar/signer"
import type { SignerStore } from "@bursar/signer/store/SignerStore"
import { Effect } from "effect"

/** A person says that the database was restored, reads what that gives up, and gives it up where it is so many things. */
export const givesUp = (store: SignerStore, count: number) =>
  Effect.flatMap(takeRestored(store), (listed) =>
    listed.isTaken || listed.lost.length !== count ? Effect.succeed(listed) : takeRestored(store, listed.name)
  )
