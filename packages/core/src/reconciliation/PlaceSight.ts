import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Command } from "../engine/Command.ts"
import { defineRecord, putRecord } from "../engine/Records.ts"

/** Since when places that are looked at together are out of sight. */
export interface PlaceSight {
  /** Their name for operators: a network, or a provider. */
  readonly name: string
  /** When they were last looked at whole; until then, when a process first began to look. */
  readonly seenAt: Timestamp
}

/** Kept for the fleet, so that neither another leader nor a restart begins the time anew for which nobody has seen a place. */
export const PlaceSight = defineRecord<PlaceSight>({ name: "PlaceSight", key: ({ name }) => name })

/** Keeps when places were looked at whole. */
export const keepSight = (sight: PlaceSight): Command<void> => ({
  name: "KeepSight",
  reads: [],
  decide: () => Result.succeed({ changes: [putRecord(PlaceSight, sight)], reply: undefined })
})
