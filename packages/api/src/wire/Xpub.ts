import { Schema } from "effect"
import { Network } from "./Network.ts"
import { NetworkText, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))

/** An account-level extended public key to derive addresses from, with the indexes that may be used. */
export const XpubIn = Schema.Struct({
  network: NetworkText,
  xpub: text(256),
  index_from: Index,
  index_to: Index
}).annotate({
  identifier: "XpubIn",
  examples: [
    {
      network: "bitcoin",
      xpub: "xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj",
      index_from: 0,
      index_to: 99_999
    }
  ]
})
/** An extended public key to register. */
export type XpubIn = typeof XpubIn.Type

/** A registered extended public key; one live per network. */
export const Xpub = Schema.Struct({
  id: Uuid,
  network: Network,
  xpub: Schema.String,
  index_from: Schema.Int,
  index_to: Schema.Int,
  next_index: Schema.Int,
  retired_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
}).annotate({ identifier: "Xpub" })
/** A registered extended public key. */
export type Xpub = typeof Xpub.Type

/** Every registered key. */
export const XpubList = Schema.Struct({ xpubs: Schema.Array(Xpub) }).annotate({ identifier: "XpubList" })
/** Every registered key. */
export type XpubList = typeof XpubList.Type
