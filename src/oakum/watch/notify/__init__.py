"""Changes of incidents -> messages, kept in an outbox until webhook, Alertmanager, Slack or mail has taken them.

The outbox is a value that the store keeps with each batch; channels do the talking. An HTTP server, or a mail command,
that is down delays its own messages and nothing else.
"""

from oakum.watch.notify.channels import (
    Channel,
    ChannelConfig,
    DeliveryFailed,
    attempt,
    open_channel,
    send_test,
)
from oakum.watch.notify.messages import Kind, Message, message
from oakum.watch.notify.outbox import Delivery, Outbox, Outcome

__all__ = [
    "Channel",
    "ChannelConfig",
    "Delivery",
    "DeliveryFailed",
    "Kind",
    "Message",
    "Outbox",
    "Outcome",
    "attempt",
    "message",
    "open_channel",
    "send_test",
]
