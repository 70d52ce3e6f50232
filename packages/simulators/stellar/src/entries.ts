import { Asset, xdr } from "@stellar/stellar-sdk/base"
import { type Account, subentries, type Trustline } from "./Account.ts"
import { publicKeyOf } from "./address.ts"
import type { Changed } from "./State.ts"

/** An entry of the ledger with the key it is found by. */
export interface Entry {
  readonly key: xdr.LedgerKeyWire
  readonly entry: xdr.LedgerEntryWire
}

/** The asset that a code and issuer name; without an issuer, the network's own. */
export const assetOf = (name: string): Asset => {
  const [code, issuer] = name.split(":")
  // the SDK would make XLM of `xlm`, which is another asset
  return code === undefined || issuer === undefined ? Asset.native() : Object.assign(new Asset(code, issuer), { code })
}

/** The name of an asset as code and issuer; `native` for the network's own. */
export const nameOf = (asset: Asset): string =>
  asset.isNative() ? "native" : `${asset.getCode()}:${asset.getIssuer()}`

/** An asset as XDR has it. */
export const assetWire = (name: string): xdr.AssetWire => assetOf(name).toXdrObject().toXdrObject()

const trustlineAsset = (name: string): xdr.TrustLineAssetWire => assetOf(name).toTrustLineXdrObject().toXdrObject()

const accountEntry = (account: Account): Entry => ({
  key: { type: 0, account: { accountId: publicKeyOf(account.id) } },
  entry: {
    lastModifiedLedgerSeq: account.modified.ledger,
    data: {
      type: 0,
      account: {
        accountId: publicKeyOf(account.id),
        balance: account.balance,
        seqNum: account.sequence,
        numSubEntries: subentries(account),
        inflationDest: null,
        flags: account.flags,
        homeDomain: new xdr.XdrString(account.homeDomain),
        thresholds: Uint8Array.of(
          account.thresholds.master,
          account.thresholds.low,
          account.thresholds.medium,
          account.thresholds.high
        ),
        signers: [...account.signers].map(([key, weight]) => ({ key: publicKeyOf(key), weight })),
        ext: {
          v: 1,
          v1: {
            liabilities: { buying: 0n, selling: 0n },
            ext: {
              v: 2,
              v2: {
                numSponsored: 0,
                numSponsoring: 0,
                signerSponsoringIDs: [...account.signers].map(() => null),
                ext: {
                  v: 3,
                  v3: {
                    ext: { v: 0 },
                    seqLedger: account.sequenceAt?.ledger ?? 0,
                    seqTime: BigInt(account.sequenceAt?.time ?? 0)
                  }
                }
              }
            }
          }
        }
      }
    },
    ext: { v: 0 }
  }
})

const trustlineEntry = (account: string, name: string, line: Trustline): Entry => ({
  key: { type: 1, trustLine: { accountId: publicKeyOf(account), asset: trustlineAsset(name) } },
  entry: {
    lastModifiedLedgerSeq: line.modified,
    data: {
      type: 1,
      trustLine: {
        accountId: publicKeyOf(account),
        asset: trustlineAsset(name),
        balance: line.balance,
        limit: line.limit,
        flags: line.authorized ? 1 : 0,
        ext: { v: 0 }
      }
    },
    ext: { v: 0 }
  }
})

const dataEntry = ({ id, modified }: Account, name: string, value: Uint8Array): Entry => ({
  key: { type: 3, data: { accountId: publicKeyOf(id), dataName: new xdr.XdrString(name) } },
  entry: {
    lastModifiedLedgerSeq: modified.ledger,
    data: {
      type: 3,
      data: {
        accountId: publicKeyOf(id),
        dataName: new xdr.XdrString(name),
        dataValue: value,
        ext: { v: 0 }
      }
    },
    ext: { v: 0 }
  }
})

/** The entries of an account: itself, what it trusts, its data. */
export const entriesOf = (account: Account): ReadonlyArray<Entry> => [
  accountEntry(account),
  ...[...account.trustlines].map(([name, line]) => trustlineEntry(account.id, name, line)),
  ...[...account.data].map(([name, value]) => dataEntry(account, name, value))
]

/** The text that tells keys apart. */
export const keyText = (key: xdr.LedgerKeyWire): string => xdr.LedgerKey.fromXdrObject(key).toXdr("base64")

const byKey = (account: Account | undefined) =>
  new Map((account === undefined ? [] : entriesOf(account)).map((one) => [keyText(one.key), one]))

const sameEntry = (one: xdr.LedgerEntryWire, other: xdr.LedgerEntryWire) =>
  xdr.LedgerEntry.fromXdrObject(one).toXdr("base64") === xdr.LedgerEntry.fromXdrObject(other).toXdr("base64")

/** The changes of some accounts as the ledger records them: what was, then what is. */
export const ledgerChanges = (changes: ReadonlyArray<Changed>): Array<xdr.LedgerEntryChangeWire> =>
  changes.flatMap(({ after, before }) => {
    const was = byKey(before)
    const is = byKey(after)
    const kept = [...is].flatMap(([text, { entry }]): ReadonlyArray<xdr.LedgerEntryChangeWire> => {
      const old = was.get(text)
      if (old === undefined) return [{ type: 0, created: entry }]
      return sameEntry(old.entry, entry)
        ? []
        : [
            { type: 3, state: old.entry },
            { type: 1, updated: entry }
          ]
    })
    const gone = [...was].flatMap(([text, { entry, key }]): ReadonlyArray<xdr.LedgerEntryChangeWire> =>
      is.has(text)
        ? []
        : [
            { type: 3, state: entry },
            { type: 2, removed: key }
          ]
    )
    return [...kept, ...gone]
  })
