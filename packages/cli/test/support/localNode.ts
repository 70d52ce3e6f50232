import { Effect } from "effect"

/** A local node as a test moves it: by its controls alone. Amounts are decimal texts in the asset's unit. */
export interface LocalNode {
  readonly fund: (address: string, asset: string, amount: string) => Effect.Effect<string>
  readonly mine: (count: number) => Effect.Effect<void>
  readonly reorg: (depth: number, keep: boolean) => Effect.Effect<void>
  /** Lets the next calls suffer. */
  readonly fault: (kind: string, times: number) => Effect.Effect<void>
  /** The kinds of what is still to come. */
  readonly faults: Effect.Effect<ReadonlyArray<string>>
  /** Forgets what is still to come of that. */
  readonly heal: Effect.Effect<void>
}

/** The controls of a local node. */
export const localNode = (controlUrl: string): LocalNode => {
  const post = (action: string, body: unknown) =>
    Effect.promise(async (): Promise<unknown> => {
      const response = await fetch(`${controlUrl}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      if (!response.ok) throw new Error(`${action}: ${await response.text()}`)
      return response.json()
    })
  return {
    fund: (address, asset, amount) =>
      Effect.map(post("fund", { address, asset, amount }), (answer) => {
        if (typeof answer !== "object" || answer === null || !("tx_hash" in answer)) throw new Error("nothing was paid")
        return String(answer.tx_hash)
      }),
    mine: (count) => Effect.asVoid(post("mine", { count })),
    reorg: (depth, keep) => Effect.asVoid(post("reorg", { depth, keep })),
    fault: (kind, times) => Effect.asVoid(post("fault", { kind, times })),
    faults: Effect.promise(async () => {
      const state: { readonly faults: ReadonlyArray<{ readonly kind: string }> } = await (
        await fetch(`${controlUrl}/state`)
      ).json()
      return state.faults.map(({ kind }) => kind)
    }),
    heal: Effect.asVoid(post("fault", { kind: "none" }))
  }
}
