/** What the adapters of networks share. */
export * from "./accountXpub.ts"
export * from "./answers.ts"
export * from "./blockAt.ts"
export * from "./claims.ts"

export * from "./guardedNetwork.ts"
export * from "./machineKeys.ts"
export * from "./positive.ts"
export * from "./signedMessage.ts"
export * from "./steadily.ts"
export * as Token from "./Token.ts"
export * as TransferIndex from "./TransferIndex.ts"
export * from "./unpayable.ts"
