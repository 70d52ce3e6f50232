// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Test tokens. They are placed with anvil_setCode, which runs no constructor: name, symbol and decimals are storage that is
/// set from outside, so the order of the variables below is part of the interface (slots 0 to 6).
abstract contract Token {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    string public name;
    string public symbol;
    uint8 public decimals;
    bool public paused;
    mapping(address => bool) public isBlocked;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    /// Anybody may mint: these tokens are worth nothing.
    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// Stops all transfers, as the issuers of both real tokens can.
    function setPaused(bool value) external {
        paused = value;
    }

    /// Refuses transfers from and to an address, as the issuers of both real tokens can.
    function setBlocked(address account, bool value) external {
        isBlocked[account] = value;
    }

    function move(address from, address to, uint256 value) internal virtual {
        require(!paused, "paused");
        require(!isBlocked[from] && !isBlocked[to], "blocked");
        require(balanceOf[from] >= value, "transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function spend(address from, uint256 value) internal {
        require(allowance[from][msg.sender] >= value, "insufficient allowance");
        allowance[from][msg.sender] -= value;
    }

    function permit(address spender, uint256 value) internal {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }
}

/// Returns true, as USDC does and the standard says.
contract BoolToken is Token {
    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        spend(from, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        permit(spender, value);
        return true;
    }
}

/// Returns nothing, as USDT on Ethereum does; its approve refuses to change one allowance into another.
contract SilentToken is Token {
    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        spend(from, value);
        move(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "approve from non-zero");
        permit(spender, value);
    }
}

/// Keeps a tenth of every transfer: the recipient gets less than the call says.
contract FeeToken is Token {
    function transfer(address to, uint256 value) external returns (bool) {
        uint256 fee = value / 10;
        move(msg.sender, to, value - fee);
        move(msg.sender, address(this), fee);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 fee = value / 10;
        spend(from, value);
        move(from, to, value - fee);
        move(from, address(this), fee);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        permit(spender, value);
        return true;
    }
}

/// Succeeds without doing anything: returns false, moves nothing, emits nothing. The transaction's status is success.
contract FalseToken is Token {
    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure returns (bool) {
        return false;
    }

    function approve(address, uint256) external pure returns (bool) {
        return false;
    }
}
