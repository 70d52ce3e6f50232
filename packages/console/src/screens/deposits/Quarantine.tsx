import { useState } from "react"
import type { QuarantineEntry } from "@bursar/api/operator/OperatorQuarantine"
import { useRead } from "../../api/hooks.ts"
import { About } from "../../ui/About.tsx"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { emptyPage, Pager } from "../../ui/Pager.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

const gainsText = (gains: QuarantineEntry["gains"]): string =>
  gains === null ? "unknown" : gains.map(({ address, units }) => `${units} to ${address}`).join("; ")

/** Transactions and blocks that could not be read. */
export const Quarantine = () => {
  const [after, setAfter] = useState<string | undefined>()
  const found = useRead(["home", "quarantine", after], (api) =>
    api.quarantine.list({ query: { limit: listMax, ...(after !== undefined && { cursor: after }) } })
  )
  return (
    <Card title="Quarantine">
      <Loaded of={found}>
        {({ entries, next_cursor: next }) => (
          <>
            <Rows
              label="Quarantine"
              rows={entries}
              keyOf={({ block_hash: block, network, tx_hash: hash }) => `${network}|${block}|${hash}`}
              empty={emptyPage(after, "Everything could be read.")}
              columns={[
                { title: "Network", of: ({ network }) => network },
                { title: "Noticed", of: ({ noticed_at: at }) => <Time at={at} /> },
                { title: "Block", kind: "amount", of: ({ block_number: block }) => block },
                {
                  title: "Transaction",
                  of: ({ tx_hash: hash }) => (hash === null ? "the whole block" : <Copied text={hash} short />)
                },
                { title: "Why", kind: "wrap", of: ({ reason }) => reason },
                {
                  title: "May bring",
                  kind: "wrap",
                  of: ({ gains }) => gainsText(gains)
                },
                {
                  title: "",
                  of: ({ block_hash, block_number, gains, network, tx_hash: hash }) => (
                    <About
                      of={[
                        ["Network", network],
                        ["Block", block_number],
                        ["Transaction", hash ?? "the whole block"]
                      ]}
                    >
                      <div className="actions">
                        <Action
                          label="Read again"
                          preview="The watcher reads the block in its next pass. What can be read now is recorded and leaves the quarantine."
                          does="quarantine.rereadBlock"
                          act={() => (ask) => ask({ params: { network, block_number } })}
                        />
                        <Action
                          label="Pass"
                          tone="danger"
                          preview={`${hash === null ? `Block ${block_number}` : `Transaction ${hash}`} of ${network} leaves the quarantine unread. Nothing is credited: book by hand what it brought. It may bring: ${gainsText(gains)}.`}
                          ask={[{ name: "reason", label: "Reason", kind: "text" }]}
                          does="quarantine.pass"
                          act={({ reason = "" }) =>
                            (ask) =>
                              ask({
                                params: { network },
                                payload: { block_hash, reason, ...(hash !== null && { tx_hash: hash }) }
                              })
                            }
                        />
                      </div>
                    </About>
                  )
                }
              ]}
            />
            <Pager next={next} after={after} go={setAfter} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
