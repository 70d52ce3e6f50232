// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Moves the native coin, or only seems to, by every kind of internal call a scanner has to tell apart.
contract Splitter {
    receive() external payable {}

    /// Pays each recipient by a CALL with value.
    function split(address payable[] calldata to, uint256[] calldata values) external payable {
        for (uint256 i = 0; i < to.length; i++) pay(to[i], values[i]);
    }

    /// Pays `refused` in an inner call that reverts afterwards, then `paid` for real. The transaction succeeds.
    function splitWithRevert(address payable refused, address payable paid, uint256 value) external payable {
        (bool ok,) = address(this).call(abi.encodeCall(this.payThenRevert, (refused, value)));
        require(!ok, "the inner call must revert");
        pay(paid, value);
    }

    /// Pays and takes it back by reverting.
    function payThenRevert(address payable to, uint256 value) external {
        pay(to, value);
        revert("inner call reverted");
    }

    /// Pays and reverts as a whole: the transaction's status is failure.
    function splitThenFail(address payable to) external payable {
        pay(to, msg.value);
        revert("reverted");
    }

    /// DELEGATECALLs the target in a frame that carries the value. Nothing reaches the target.
    function delegate(address target) external payable {
        (bool ok,) = target.delegatecall("");
        require(ok, "delegatecall failed");
    }

    /// CALLCODEs the target with the value. Nothing reaches the target.
    function callCode(address target) external payable {
        bool ok;
        assembly {
            ok := callcode(gas(), target, callvalue(), 0, 0, 0, 0)
        }
        require(ok, "callcode failed");
    }

    /// DELEGATECALLs itself into `split`: the CALLs inside do pay.
    function splitByDelegate(address payable[] calldata to, uint256[] calldata values) external payable {
        (bool ok,) = address(this).delegatecall(abi.encodeCall(this.split, (to, values)));
        require(ok, "delegatecall failed");
    }

    function pay(address payable to, uint256 value) internal {
        (bool ok,) = to.call{value: value}("");
        require(ok, "payment failed");
    }
}

/// Sends all it holds by SELFDESTRUCT, to which a recipient cannot object.
contract Destroyer {
    receive() external payable {}

    function destroy(address payable to) external payable {
        selfdestruct(to);
    }
}

/// Refuses the native coin.
contract Refuser {
    receive() external payable {
        revert("no coins here");
    }
}
