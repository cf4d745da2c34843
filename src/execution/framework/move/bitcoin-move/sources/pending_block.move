/// Blocks of Bitcoin that wait until enough others follow: until then another block may take their place.
module bitcoin_move::pending_block {
    use std::option::{Self, Option};
    use std::vector;
    use moveos_std::event;
    use moveos_std::module_store;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::simple_map::{Self, SimpleMap};
    use moveos_std::type_info;
    use rooch_framework::chain_id;
    use bitcoin_move::types::{Self, Block, BlockHeightHash, Header, Transaction};

    friend bitcoin_move::bitcoin;
    friend bitcoin_move::genesis;
    friend bitcoin_move::inscription_updater;

    /// A block that does not wait.
    const ErrorPendingBlockNotFound: u64 = 2;
    /// A transaction that does not wait.
    const ErrorPendingTxNotFound: u64 = 3;
    /// Another block in the place of one whose transactions are executed.
    const ErrorReorgFailed: u64 = 4;
    /// A transaction of a block that not enough others follow.
    const ErrorNeedToWaitMoreBlocks: u64 = 5;
    /// A block that is to be settled before all its transactions are executed.
    const ErrorPendingBlockNotFinished: u64 = 6;
    /// A function for local chains, on another.
    const ErrorUnsupportedChain: u64 = 7;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorBlockAlreadyProcessed: u64 = 1;

    /// The field of a block that lists its transactions, which are in fields of their numbers.
    const TX_IDS: vector<u8> = b"tx_ids";

    struct PendingBlock has key {
        block_height: u64,
        block_hash: address,
        header: Header,
        processed_tx: u64,
        next_block_hash: Option<address>,
    }

    /// The blocks that wait, by height, the last one that came, and how many must follow.
    struct PendingStore has key {
        pending_blocks: SimpleMap<u64, address>,
        best_block: Option<BlockHeightHash>,
        reorg_block_count: u64,
    }

    /// A block out of which a transaction is executed: it has to be put back.
    struct InprocessBlock {
        block_hash: address,
        block_obj: Object<PendingBlock>,
        tx: Transaction,
    }

    /// A block lost its place to another.
    struct ReorgEvent has copy, drop {
        block_height: u64,
        block_hash: address,
        success: bool,
    }

    struct ReadyPendingBlockHeader has copy, drop, store {
        block_height: u64,
        block_hash: address,
        header: Header,
    }

    struct PendingTxs has copy, drop, store {
        block_hash: address,
        txs: vector<address>,
    }

    /// Makes the store; so many blocks must follow one before it is settled.
    public(friend) fun genesis_init(reorg_block_count: u64) {
        let store = PendingStore { pending_blocks: simple_map::new(), best_block: option::none(), reorg_block_count };
        object::transfer_extend(object::new_named_object(store), @bitcoin_move);
    }

    // ----------------------------------------------------------------------------------------------- blocks that come

    /// Lets a block and its transactions wait. Gives false if it waits already.
    public(friend) fun add_pending_block(block_height: u64, block_hash: address, block: Block): bool {
        let (header, txs) = types::unpack_block(block);
        add(block_height, block_hash, header, txs)
    }

    /// Lets a block wait whose transactions do not come this way.
    public(friend) fun add_pending_block_header_only(block_height: u64, block_hash: address, header: Header): bool {
        add(block_height, block_hash, header, vector[])
    }

    fun add(block_height: u64, block_hash: address, header: Header, txs: vector<Transaction>): bool {
        if (waits(block_hash)) return false;
        let store = borrow_mut_store();
        if (simple_map::contains_key(&store.pending_blocks, &block_height)) give_way(store, block_height);
        let block_obj = object::new_with_id(block_hash, PendingBlock {
            block_height,
            block_hash,
            header,
            processed_tx: 0,
            next_block_hash: option::none(),
        });
        let ids = vector[];
        vector::for_each(txs, |tx| {
            let id = types::tx_id(&tx);
            object::add_field(&mut block_obj, id, tx);
            vector::push_back(&mut ids, id);
        });
        object::add_field(&mut block_obj, TX_IDS, ids);
        put_back(block_obj);
        let before = types::prev_blockhash(&header);
        if (waits(before)) {
            let before_obj = object::borrow_mut_object_extend<PendingBlock>(block_id(before));
            object::borrow_mut(before_obj).next_block_hash = option::some(block_hash);
        };
        simple_map::add(&mut store.pending_blocks, block_height, block_hash);
        store.best_block = option::some(types::new_block_height_hash(block_height, block_hash));
        true
    }

    /// Removes the block of a height and all that follow it.
    fun give_way(store: &mut PendingStore, block_height: u64) {
        let next = option::some(*simple_map::borrow(&store.pending_blocks, &block_height));
        while (option::is_some(&next)) {
            let block_obj = take(option::destroy_some(next));
            let PendingBlock { block_height, block_hash, header: _, processed_tx, next_block_hash } =
                object::borrow(&block_obj);
            let block_height = *block_height;
            let block_hash = *block_hash;
            let is_begun = *processed_tx > 0;
            next = *next_block_hash;
            event::emit(ReorgEvent { block_height, block_hash, success: !is_begun });
            assert!(!is_begun, ErrorReorgFailed);
            end(block_obj, false);
            simple_map::remove(&mut store.pending_blocks, &block_height);
        }
    }

    // ---------------------------------------------------------------------------------------- blocks that are settled

    /// Takes out the header that is to be settled now: of the first block that waits of those that enough others
    /// follow. All its transactions must be executed.
    public(friend) fun pop_ready_pending_block_header(): Option<ReadyPendingBlockHeader> {
        let found = first_ready(borrow_store());
        if (option::is_none(&found)) return option::none();
        let block_obj = take(option::destroy_some(found));
        let block_hash = object::borrow(&block_obj).block_hash;
        let block_height = object::borrow(&block_obj).block_height;
        simple_map::remove(&mut borrow_mut_store().pending_blocks, &block_height);
        option::some(ReadyPendingBlockHeader { block_height, block_hash, header: end(block_obj, true) })
    }

    /// The height, the hash and the header.
    public(friend) fun unpack_ready_pending_block_header(
        ready_block: ReadyPendingBlockHeader
    ): (u64, address, Header) {
        let ReadyPendingBlockHeader { block_height, block_hash, header } = ready_block;
        (block_height, block_hash, header)
    }

    /// Removes a block that waits, if it does.
    public(friend) fun remove_pending_block_header_only(block_hash: address) {
        if (!waits(block_hash)) return;
        let block_obj = take(block_hash);
        let block_height = object::borrow(&block_obj).block_height;
        simple_map::remove(&mut borrow_mut_store().pending_blocks, &block_height);
        end(block_obj, true);
    }

    /// The transactions that can be executed now: of the first block that waits of those that enough others follow.
    /// The hash is that of the last such block, as on the networks that run release 27.
    public fun get_ready_pending_txs(): Option<PendingTxs> {
        let store = borrow_store();
        let found = first_ready(store);
        if (option::is_none(&found)) return option::none();
        let block_obj = object::borrow_object<PendingBlock>(block_id(option::destroy_some(found)));
        let ids: vector<address> = *object::borrow_field(block_obj, TX_IDS);
        if (vector::is_empty(&ids)) return option::none();
        let txs = vector::filter(ids, |id| object::contains_field(block_obj, *id));
        let height = option::destroy_some(ready_height(store));
        option::some(PendingTxs { block_hash: *simple_map::borrow(&store.pending_blocks, &height), txs })
    }

    /// The height of the last block that enough others follow.
    fun ready_height(store: &PendingStore): Option<u64> {
        if (option::is_none(&store.best_block)) return option::none();
        let (best, _) = types::unpack_block_height_hash(*option::borrow(&store.best_block));
        if (best < store.reorg_block_count) option::none() else option::some(best - store.reorg_block_count)
    }

    /// The first block that waits before the one of that height, or that one.
    fun first_ready(store: &PendingStore): Option<address> {
        let height = ready_height(store);
        if (option::is_none(&height)) return option::none();
        let height = option::destroy_some(height);
        if (!simple_map::contains_key(&store.pending_blocks, &height)) return option::none();
        let hash = *simple_map::borrow(&store.pending_blocks, &height);
        let before = hash_before(hash);
        while (waits(before)) {
            hash = before;
            before = hash_before(hash);
        };
        option::some(hash)
    }

    // ------------------------------------------------------------------------------------- transactions one at a time

    /// Takes a transaction out of a block that enough others follow.
    public(friend) fun process_pending_tx(block_hash: address, txid: address): InprocessBlock {
        let ready = ready_height(borrow_store());
        let block_obj = take(block_hash);
        assert!(
            option::is_some(&ready) && object::borrow(&block_obj).block_height <= option::destroy_some(ready),
            ErrorNeedToWaitMoreBlocks
        );
        assert!(object::contains_field(&block_obj, txid), ErrorPendingTxNotFound);
        let tx = object::remove_field(&mut block_obj, txid);
        InprocessBlock { block_hash, block_obj, tx }
    }

    /// Puts the block back after a transaction.
    public(friend) fun finish_pending_tx(inprocess_block: InprocessBlock) {
        let InprocessBlock { block_hash: _, block_obj, tx: _ } = inprocess_block;
        count_tx(&mut block_obj);
        put_back(block_obj);
    }

    /// Ends the block after its last transaction, the miner's.
    public(friend) fun finish_pending_block(inprocess_block: InprocessBlock): Header {
        let InprocessBlock { block_hash: _, block_obj, tx } = inprocess_block;
        assert!(types::is_coinbase_tx(&tx), ErrorPendingBlockNotFinished);
        count_tx(&mut block_obj);
        let block_height = object::borrow(&block_obj).block_height;
        let header = end(block_obj, true);
        simple_map::remove(&mut borrow_mut_store().pending_blocks, &block_height);
        header
    }

    /// The block.
    public(friend) fun inprocess_block_pending_block(
        inprocess_block: &mut InprocessBlock
    ): &mut Object<PendingBlock> {
        &mut inprocess_block.block_obj
    }

    /// The transaction.
    public(friend) fun inprocess_block_tx(inprocess_block: &InprocessBlock): &Transaction {
        &inprocess_block.tx
    }

    /// The block's header.
    public(friend) fun inprocess_block_header(inprocess_block: &InprocessBlock): &Header {
        &object::borrow(&inprocess_block.block_obj).header
    }

    /// The block's height.
    public(friend) fun inprocess_block_height(inprocess_block: &InprocessBlock): u64 {
        block_height(&inprocess_block.block_obj)
    }

    /// A block's height.
    public(friend) fun block_height(pending_block: &Object<PendingBlock>): u64 {
        object::borrow(pending_block).block_height
    }

    /// Takes out what was kept between two transactions of a block.
    public(friend) fun take_intermediate<I: store>(pending_block: &mut Object<PendingBlock>): I {
        object::remove_field(pending_block, type_info::type_name<I>())
    }

    /// Keeps a value between two transactions of a block.
    public(friend) fun add_intermediate<I: store>(pending_block: &mut Object<PendingBlock>, intermediate: I) {
        object::add_field(pending_block, type_info::type_name<I>(), intermediate);
    }

    /// Whether a value of the type is kept.
    public(friend) fun exists_intermediate<T>(pending_block: &Object<PendingBlock>): bool {
        object::contains_field(pending_block, type_info::type_name<T>())
    }

    // ------------------------------------------------------------------------------------------------------- settings

    /// The last block that came.
    public fun get_best_block(): Option<BlockHeightHash> {
        borrow_store().best_block
    }

    /// How many blocks must follow one before it is settled.
    public fun get_reorg_block_count(): u64 {
        borrow_store().reorg_block_count
    }

    /// Sets the above. For who may upgrade this package.
    public entry fun update_reorg_block_count(signer: &signer, count: u64) {
        let package = signer::address_of(&signer::module_signer<PendingStore>());
        module_store::ensure_upgrade_permission(package, signer);
        borrow_mut_store().reorg_block_count = count;
    }

    /// Sets the above on a local chain.
    public entry fun update_reorg_block_count_for_local(count: u64) {
        assert!(chain_id::is_local(), ErrorUnsupportedChain);
        borrow_mut_store().reorg_block_count = count;
    }

    // ---------------------------------------------------------------------------------------------------------- inner

    fun block_id(block_hash: address): ObjectID {
        object::custom_object_id<address, PendingBlock>(block_hash)
    }

    fun waits(block_hash: address): bool {
        object::exists_object(block_id(block_hash))
    }

    fun hash_before(block_hash: address): address {
        assert!(waits(block_hash), ErrorPendingBlockNotFound);
        let block_obj = object::borrow_object<PendingBlock>(block_id(block_hash));
        types::prev_blockhash(&object::borrow(block_obj).header)
    }

    fun take(block_hash: address): Object<PendingBlock> {
        assert!(waits(block_hash), ErrorPendingBlockNotFound);
        object::take_object_extend(block_id(block_hash))
    }

    fun put_back(block_obj: Object<PendingBlock>) {
        object::transfer_extend(block_obj, @bitcoin_move);
    }

    fun count_tx(block_obj: &mut Object<PendingBlock>) {
        let block = object::borrow_mut(block_obj);
        block.processed_tx = block.processed_tx + 1;
    }

    /// Ends a block whose transactions are all executed, or none.
    fun end(block_obj: Object<PendingBlock>, is_executed: bool): Header {
        let ids: vector<address> = object::remove_field(&mut block_obj, TX_IDS);
        if (is_executed) {
            let executed = object::borrow(&block_obj).processed_tx;
            assert!(executed == vector::length(&ids), ErrorPendingBlockNotFinished);
        } else {
            vector::for_each(ids, |id| {
                let _: Transaction = object::remove_field(&mut block_obj, id);
            });
        };
        let PendingBlock { block_height: _, block_hash: _, header, processed_tx: _, next_block_hash: _ } =
            object::remove(block_obj);
        header
    }

    fun borrow_store(): &PendingStore {
        object::borrow(object::borrow_object<PendingStore>(object::named_object_id<PendingStore>()))
    }

    fun borrow_mut_store(): &mut PendingStore {
        let id = object::named_object_id<PendingStore>();
        object::borrow_mut(object::borrow_mut_object_extend<PendingStore>(id))
    }

    // ---- for tests alone ----

    #[test_only]
    /// Sets how many blocks must follow one before it is settled.
    public fun set_reorg_block_count_for_test(count: u64) {
        borrow_mut_store().reorg_block_count = count;
    }
}
