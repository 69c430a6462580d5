#!/bin/bash
# Arguments of Megatron-LM as its examples write them; `tandem train --plan` reads them.
NUM_NODES=4

DISTRIBUTED_ARGS=(
    --nproc_per_node 8
    --nnodes $NUM_NODES
)
MODEL_ARGS=(
    --num-layers 32
    --hidden-size 4096
    --num-attention-heads 32
    --seq-length 2048
    --max-position-embeddings 2048
)
TRAINING_ARGS=(
    --micro-batch-size 2
    --global-batch-size 128
    --train-iters 500000
    --bf16
    --lr 6.0e-5
)
PARALLEL_ARGS=(
    --tensor-model-parallel-size 4
    --pipeline-model-parallel-size 2
    --sequence-parallel
    --use-distributed-optimizer
    --overlap-grad-reduce
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${MODEL_ARGS[@]} ${TRAINING_ARGS[@]} ${PARALLEL_ARGS[@]}
