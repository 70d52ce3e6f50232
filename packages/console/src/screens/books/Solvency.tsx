import type { SolvencyStatementIn } from "@bursar/api/operator/OperatorSolvency"
import { Effect } from "effect"
import { useState } from "react"
import { useRead } from "../../api/hooks.ts"
import { About } from "../../ui/About.tsx"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { More } from "../../ui/More.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { SolvencyStatements } from "./SolvencyStatements.tsx"

const told = (ok: boolean, findings: ReadonlyArray<string>) =>
  ok ? "It verifies: trees, digests, signatures and the audit log agree." : `It does not hold: ${findings.join("; ")}`

/** Proofs of reserves and liabilities. */
export const Solvency = () => {
  const [statements, setStatements] = useState<ReadonlyArray<SolvencyStatementIn>>([])
  const found = useRead(["solvency"], (api) => api.solvency.list({ query: { limit: listMax } }))
  return (
    <Card title="Solvency snapshots">
      <div className="stack">
        <div className="actions">
          <Action
            label="Take a snapshot"
            preview={`It sums up what every tenant is owed now, reads what the addresses hold, has their keys sign, and counts ${statements.length === 0 ? "no statement" : statements.length === 1 ? "one statement" : `${statements.length} statements`} of custodians and banks. Nobody outside sees it until you publish it.`}
            ask={[{ name: "environment", label: "Of tenants that are", options: ["LIVE", "SANDBOX"] }]}
            does="solvency.take"
            act={({ environment }) =>
              (ask) =>
                Effect.tap(
                  ask({ payload: { environment: environment === "SANDBOX" ? "SANDBOX" : "LIVE", statements } }),
                  () => Effect.sync(() => setStatements([]))
                )
              }
          />
        </div>
        <SolvencyStatements statements={statements} change={setStatements} />
        <Loaded of={found}>
          {({ snapshots }) => (
            <>
              <Rows
                label="Solvency snapshots"
                rows={snapshots}
                keyOf={({ id }) => id}
                empty="No snapshot was taken yet."
                columns={[
                  { title: "Taken", of: ({ taken_at: at }) => <Time at={at} /> },
                  { title: "By", of: ({ taken_by: by }) => by },
                  { title: "Of", of: ({ environment }) => environment },
                  {
                    title: "Covered",
                    of: ({ covered, summary }) => (
                      <Badge tone={covered ? "good" : "bad"}>
                        {covered
                          ? "all"
                          : `not ${summary.flatMap(({ covered: whole, currency }) => (whole ? [] : [currency])).join(", ")}`}
                      </Badge>
                    )
                  },
                  { title: "Digest", of: ({ digest }) => <Copied text={digest} short /> },
                  {
                    title: "Published",
                    of: ({ published_at: at }) => (at === null ? <Badge>not</Badge> : <Time at={at} />)
                  },
                  {
                    title: "",
                    of: ({ covered, digest, environment, id, published_at: at, taken_at: taken }) => (
                      <About
                        of={[
                          ["Snapshot of", `${environment} tenants`],
                          ["Taken", <Time at={taken} />],
                          ["Digest", digest]
                        ]}
                      >
                        <div className="actions">
                          <Action
                            label="Verify"
                            preview="The trees are built anew from what is stored and compared. Nothing changes."
                            does="solvency.verify"
                            act={() => (ask) => ask({ params: { snapshot_id: id } })}
                            done={({ findings, ok }) => told(ok, findings)}
                          />
                          {at === null ? (
                            <Action
                              label="Publish"
                              tone="danger"
                              preview={`Partners see the snapshot of ${environment} tenants, ${covered ? "of which everything is covered" : "with its shortfalls"}. Its digest is ${digest}. It stays published, and nothing of it can be changed.`}
                              does="solvency.publish"
                              act={() => (ask) => ask({ params: { snapshot_id: id } })}
                            />
                          ) : null}
                        </div>
                      </About>
                    )
                  }
                ]}
              />
              <More count={snapshots.length} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  )
}
